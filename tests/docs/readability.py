"""How hard each page is to read: `make docs` prints it, as information.

Flesch's reading ease: 206.8 - 1.015 * words a sentence - 84.6 * syllables a word. 60 and above is
plain English, below 40 is hard. Blocks, tables, headings and code in a line do not count.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def prose(page: str) -> str:
    """The sentences of a page, without what is not read aloud."""
    page = re.sub(r"^( *)(```+|~~~+).*?^\1\2 *$", "", page, flags=re.M | re.S)
    page = re.sub(r"<!--.*?-->", "", page, flags=re.S)
    page = re.sub(r"^(#|\||!\[|:::).*$", "", page, flags=re.M)
    page = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", page)
    return re.sub(r"`[^`]*`", "", page)


def sentences(text: str) -> list[list[str]]:
    """The words of each sentence; a point of a list and a paragraph end one, too."""
    ended = re.split(r"[.!?](?=\s|$)|\n\s*\n|\n *[-*] ", text)
    return [words for part in ended if (words := re.findall(r"[A-Za-z']+", part))]


def ease(text: str) -> float:
    """Flesch's reading ease of English sentences; NaN where there are none."""
    said = sentences(text)
    words = [word for sentence in said for word in sentence]
    if not words:
        return float("nan")
    syllables = sum(_syllables(word.lower()) for word in words)
    return 206.835 - 1.015 * len(words) / len(said) - 84.6 * syllables / len(words)


def _syllables(word: str) -> int:
    """Groups of vowels, without an e at the end that is not heard."""
    return max(1, len(re.findall(r"[aeiouy]+", re.sub(r"(?<!l)e$|(?<![td])ed$", "", word))))


def main() -> None:
    """Print the pages, the hardest first, with the words of their longest sentence."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts = {page: prose(page.read_text(encoding="utf-8")) for page in pages}
    rated = sorted((ease(text), page) for page, text in texts.items() if sentences(text))
    print("reading ease (Flesch: 60 is plain, below 40 is hard), longest sentence, page")
    for score, page in rated:
        longest = max(map(len, sentences(texts[page])))
        print(f"{score:6.0f} {longest:4d}  {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
