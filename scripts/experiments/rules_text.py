"""The lists of a rules file, for scripts that look into it."""

import re


def parsed(text):
    """Its lists, as lists of lists and atoms."""
    lists = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text)):
        if token == "(":
            lists.append([])
        elif token == ")":
            done = lists.pop()
            lists[-1].append(done)
        else:
            lists[-1].append(token)
    return lists[0]
