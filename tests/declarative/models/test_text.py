from tunewise.testing import ModelConformance


class TestByteNgrams(ModelConformance):
    model = "byte_ngrams"


class TestWordVectors(ModelConformance):
    model = "word_vectors"
