# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options as users give them -> values; what cannot be is refused in one sentence that names the option."""

from __future__ import annotations

import collections.abc as c
import fnmatch
import re
import typing as t

from ._errors import InvalidOption

T = t.TypeVar("T")

# Kafka's STRING type has an int16 length, and brokers put a name into messages of that type
MAX_BYTES = 32700
INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,249}")

_DAY = 86_400_000
_UNITS = {"W": 7 * _DAY, "D": _DAY, "H": 3_600_000, "M": 60_000, "S": 1000}
_LONGEST_DURATION = 40
# an M before the T would be months
# quoted texts in brackets, or letters and wildcards or commas
_LIST_IN_TEXT = re.compile(r"\s*\[(\s*([\"']).*\2\s*|(?!!)(?=[^]]*\w)[^]]*[*?,][^]]*)\]\s*", re.DOTALL)
_ISO_DURATION = re.compile(r"P(?=\d|T)(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?")


def text(value: t.Any, option: str) -> str:
    """Return a name as it is; a number or a truth value is refused, since YAML has already changed its spelling."""
    if isinstance(value, bool | int | float):
        kind = "truth value" if isinstance(value, bool) else "number"
        raise InvalidOption(f"{option} is {value!r}, which YAML reads as a {kind}: put quotes around it.")
    if not isinstance(value, str):
        kind = {dict: "a dictionary", list: "a list", type(None): "null"}.get(type(value), type(value).__name__)
        raise InvalidOption(f"{option} is {kind}, and must be a string.")
    if value == "":
        raise InvalidOption(f"{option} is empty.")
    if _size(value, option) > MAX_BYTES:
        raise InvalidOption(f"{option} is longer than Kafka's {MAX_BYTES} bytes.")
    return value


def for_a_library(value: str, option: str) -> str:
    """Return a text that is handed to a library in C, or is the path of a file; the value does not show."""
    _size(value, option)
    if "\0" in value:
        raise InvalidOption(f"{option} contains the character NUL.")
    return value


def metadata(value: str | None, option: str) -> str | None:
    """Return the metadata of an offset; how long it may be is for the broker to say (offset.metadata.max.bytes)."""
    if value is not None:
        _size(value, option)
    return value


def _size(value: str, option: str) -> int:
    try:
        return len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise InvalidOption(f"{option} is not valid UTF-8.") from None


def topic_name(value: t.Any, option: str) -> str:
    """Return a topic's name, as Kafka allows them (the class Topic)."""
    name = text(value, option)
    if not TOPIC.fullmatch(name):
        raise InvalidOption(
            f"{option} is {name!r}: a topic's name has at most 249 of the characters a-z, A-Z, 0-9, '.', '_' and '-'."
        )
    return name


def path(value: str, option: str) -> str:
    """Return the path of a file; an empty one is most likely an unset variable."""
    if value == "":
        raise InvalidOption(f"{option} is empty: set a path, or omit the option.")
    if for_a_library(value, option).endswith("/"):
        raise InvalidOption(f"{option} is {value!r}, which is not the path of a file.")
    return value


def optional_path(value: str | None, option: str) -> str | None:
    """Return the path of a file, or None where it is not given."""
    return None if value is None else path(value, option)


def texts(value: t.Any, option: str, check: c.Callable[[t.Any, str], str] = text) -> list[str]:
    """Return the texts of a list, or of a single text, which is never split; duplicates are dropped."""
    values = value if isinstance(value, list) else [value]
    not_empty(values, option)
    return list(dict.fromkeys(check(each, f"{option}[{index}]") for index, each in enumerate(values)))


def needed(value: T | None, option: str) -> T:
    """Return a value that Ansible saw to be given: to Ansible, null is given."""
    if value is None:
        raise InvalidOption(f"{option} is null: set a value.")
    return value


def not_empty(values: c.Sized | None, option: str) -> None:
    """Refuse a list that is given and empty."""
    if values is not None and not len(values):
        raise InvalidOption(f"{option} is an empty list: set at least one entry, or skip the task.")


def natural(value: int, option: str, most: int = INT32_MAX) -> int:
    """Return a number from 0 to `most`."""
    return whole(value, option, 0, most)


def whole(value: int, option: str, least: int, most: int) -> int:
    """Return a number from `least` to `most`."""
    if isinstance(value, bool):
        raise InvalidOption(f"{option} is {value}, and must be a number.")
    if abs(value) > INT64_MAX:
        # thousands of digits are not readable
        raise InvalidOption(f"{option} is a number with too many digits: it must be from {least} to {most}.")
    if value < least:
        raise InvalidOption(f"{option} is {value}: it must be {least} or greater.")
    if value > most:
        raise InvalidOption(f"{option} is {value}: it must be {most} or less.")
    return value


def optional_natural(value: int | None, option: str) -> int | None:
    """Return a number from 0, or None where it is not given."""
    return None if value is None else natural(value, option)


def duration(value: t.Any, option: str) -> int:
    """Return the ms of an ISO 8601 duration of weeks to seconds (P7D, PT1H30M), or of its short form (7d, 1h30m)."""
    written = str(value).upper()
    if len(written) > _LONGEST_DURATION or not (
        _ISO_DURATION.fullmatch(written) or re.fullmatch(r"(\d+[WDHMS])+", written)
    ):
        raise InvalidOption(f"{option} is {value!r}: a duration is written as P7D, PT1H30M, 7d or 1h30m.")
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"(\d+)([WDHMS])", written))


def patterns(value: t.Any, option: str) -> c.Callable[[str], bool]:
    """Return what `matcher` does for the patterns of an option; any name matches where it is not set."""
    return (lambda _name: True) if value is None else matcher(texts(value, option), option)


def matcher(patterns: c.Sequence[str], option: str) -> c.Callable[[str], bool]:
    """Return whether a name matches one of the patterns; raises as `expressions` does."""
    compiled = expressions(patterns, option)
    return lambda name: any(expression.fullmatch(name) for expression in compiled)


def expressions(patterns: c.Sequence[str], option: str) -> list[re.Pattern[str]]:
    """Return the regular expressions of patterns: shell-style, or a regex when it starts with C(~).

    Raises:
        TaskError: a regex cannot be read, or a pattern is a list in a string, which would match single letters.
    """
    compiled = []
    for pattern in patterns:
        if _LIST_IN_TEXT.fullmatch(pattern):
            raise InvalidOption(f"{option}: '{pattern}' is a list in a string: set a list, in extra variables as JSON.")
        try:
            compiled.append(
                re.compile(pattern[1:], re.DOTALL)
                if pattern.startswith("~")
                else re.compile(fnmatch.translate(pattern))
            )
        except (re.error, OverflowError, RecursionError) as exc:
            raise InvalidOption(f"{option}: '{pattern}' is not a regular expression ({exc}).") from None
    return compiled
