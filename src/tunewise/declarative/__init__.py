"""What people declare: the shape of input and output, and examples; models are found for them.

`schema` is the language, `examples` what was fed, `templates` which models fit, `models` the models
themselves, `quality` how good they are, `serving` answers, and `task` all of it together. Heavy
packages are imported where they are used, so this room costs nothing until a task is opened.
"""

from tunewise.declarative.schema import Program, parse

__all__ = ["Program", "parse"]
