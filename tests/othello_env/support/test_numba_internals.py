"""Numba has the undocumented parts that the package uses. If parts are missing, each missing part is named."""

import pkgutil

import pytest
from numba.core.registry import cpu_target

from othello_env.support import numba_internals

pytestmark = pytest.mark.nojit


def test_numba_has_all_that_is_used():
    assert numba_internals.missing() == []


@pytest.mark.parametrize("name", numba_internals._USED)
def test_what_a_changed_numba_lacks_is_named(monkeypatch, name):
    owner, _, attribute = name.rpartition("." if "." in name.partition(":")[2] else ":")
    owner = pkgutil.resolve_name(owner)
    for each in getattr(owner, "__mro__", [owner]):
        if attribute in vars(each):
            monkeypatch.delattr(each, attribute)
    assert name in numba_internals.missing()


def test_a_linker_that_is_gone_is_named(monkeypatch):
    monkeypatch.delattr(cpu_target.target_context.codegen(), "_rtlinker")
    assert numba_internals.missing() == ["numba.core.codegen:CPUCodegen._rtlinker"]
