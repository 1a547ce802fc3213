# SPDX-License-Identifier: Apache-2.0
"""XGrammar without PyTorch and Transformers, which it imports but does not need for masks.

    pip install apache-tvm-ffi pydantic numpy && pip install --no-deps xgrammar==0.2.8
"""

import importlib.machinery
import sys
import types

import numpy
import tvm_ffi  # noqa: F401 (before the stand-ins: it looks for PyTorch)


def stand_in(name: str, **members) -> None:
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    vars(module).update(members)
    sys.modules[name] = module


stand_in("torch", __version__="0", int32=numpy.int32, dtype=object, device=object, Tensor=numpy.ndarray, LongTensor=object,
         FloatTensor=object, tensor=lambda value, dtype=None: numpy.array(value, dtype=dtype))
stand_in("transformers", LogitsProcessor=object, PreTrainedTokenizerBase=type("Base", (), {}),
         PreTrainedTokenizerFast=type("Fast", (), {}))

import xgrammar  # noqa: E402, F401
