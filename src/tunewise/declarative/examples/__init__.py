"""What was fed: loaded from files and objects, checked pair by pair, kept, and looked at again.

`loading` reads files and never runs or trusts them, `files` keeps bytes by their checksum,
`parts` says who is in the validation part, `rules` and `suspicion` say what to turn off.
"""

from tunewise.declarative.examples.checking import Checked, checked
from tunewise.declarative.examples.chunks import pack, unpack
from tunewise.declarative.examples.files import Files
from tunewise.declarative.examples.numbering import numbered
from tunewise.declarative.examples.parts import in_validation
from tunewise.declarative.examples.rules import rule

__all__ = ["Checked", "Files", "checked", "in_validation", "numbered", "pack", "rule", "unpack"]
