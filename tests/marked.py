"""
Parts of documents that are made of what tests measure. Part NAME stands between '<!-- NAME -->' and
'<!-- end of NAME -->', lines of their own.

Tests run side by side and read the same documents: who only compares writes nothing.
"""


def cut(text, name):
    """What stands before a part with its mark, the part, and what comes after it."""
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    before, rest = text.split(begin)
    part, after = rest.split(end)
    return before + begin, part, end + after


def hold(path, parts, again, write=False):
    """
    Whether the parts of a document are these, or writes them.
    @param parts  name -> text without a last line end
    @param again  command that writes them
    """
    old = new = path.read_text(encoding="utf-8")
    for name, text in parts.items():
        before, _, after = cut(new, name)
        new = before + text + after
    if write:
        path.write_text(new, encoding="utf-8")
    else:
        assert new == old, f"{path} has other tables; {again}"
