"""The language in which a task says what goes in and what comes out.

```
prog         ::= {input: data_type, output: data_type}  |  data_type -> data_type
data_type    ::= {[nonrec_field, ...], [rec_field, ...]}  |  a short form
nonrec_field ::= Tensor[int, ...] says  |  field_name :: Tensor[int, ...] says
rec_field    ::= field_name               points to an object of the same type
field_name   ::= [a-z0-9]+
says         ::= nothing | text | columns [name kind, ...]          of an input
               | nothing | text | numbers | classes | classes [label, ...]   of an output
```

Short forms of inputs and outputs: `image(28, 28)` is `Tensor[28, 28, 1]`, `image(32, 32, 3)`,
`series(6)` is `{[Tensor[6]], [next]}`, `tree(8)` is `{[Tensor[8]], [left, right]}`, `text` is
`{[Tensor[] text], []}` (so it fits the general templates alone). Of inputs: `table(20)` is
`Tensor[20]`, and `table(age number, city category, since date, note text)` is `Tensor[4]` with
`columns`: a table whose columns are not all numbers says each one's name and kind. Of outputs:
`10 classes`, `[cat, dog]`, `number`, `3 numbers`. An output of one axis that says nothing is
undecided (`Program.undecided`): the first examples decide.

Values, as they are fed and kept:

| data type | value |
|---|---|
| one tensor, nothing recursive | float32 array of the shape |
| text | str |
| table with columns | list, one value a column: float, str (category, text, ISO date) or None |
| classes | the label, a str |
| numbers | float32 array of the shape |
| chain (one recursive field) of one tensor | float32 array (steps, *shape) |
| another chain | list of steps |
| tree (several) | dict: fields and recursive fields by name, None where it ends |

A step or a node with one unnamed tensor is that array; a tree's is under "value". Several fields
are a dict by name; an unnamed one is called by its place, "0", "1", ….
"""

from tunewise.declarative.schema.parsing import parse
from tunewise.declarative.schema.program import KINDS, Column, DataType, Field, Program
from tunewise.declarative.schema.values import read_input, read_output

__all__ = [
    "KINDS",
    "Column",
    "DataType",
    "Field",
    "Program",
    "parse",
    "read_input",
    "read_output",
]
