"""Sorting, places, matrices and arrangements against PyTorch: odd inputs (empty, NaN, integers, bools) and every error's text."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import autograd_teach

torch = pytest.importorskip("torch")

# `A` is 2x3 and `B` 3x4, both float32; `i` are places in A; `L` is a leaf that requires grad.
EXPRESSIONS = [
    "A.gather(1,torch.tensor([[5]]))", "A.gather(1,torch.tensor([[-1]]))", "A.gather(1,torch.tensor([0]))",
    "A.gather(1,torch.zeros(3,1,dtype=torch.long))", "A.gather(1,torch.zeros(2,1))",
    "A.gather(1,torch.zeros(2,0,dtype=torch.long))", "A.gather(2,torch.zeros(2,0,dtype=torch.long))",
    "A.scatter_add(1,i,A.double())", "A.scatter(1,i,A.double())", "A.scatter(1,i+3,A)",
    "A.scatter_add(1,i,A[:1])", "A.scatter_add(1,i[0],A[:1])",
    "A.scatter(1,torch.zeros(3,3,dtype=torch.long),A)",
    "A.index_select(1,torch.tensor([5]))", "A.index_select(0,torch.tensor([[0]]))",
    "A.index_select(0,torch.tensor(1))", "A.index_select(0,torch.tensor([0.]))",
    "torch.bmm(A,A)",
    "torch.bmm(A[None],A)", "torch.bmm(A[None],A[None])", "torch.bmm(A[None],B[None].double())",
    "torch.ones(2,2,3)@torch.ones(2,2,3)", "torch.ones(2,2,3)@torch.ones(3,3,3)",
    "torch.ones(2,2,3)@torch.ones(2,3,3).double()", "torch.ones(2,2,3)@torch.ones(2)",
    "torch.ones(2,2,3)@torch.ones(2,3)", "torch.ones(2,0,3)@torch.ones(3,4)", "torch.ones(0,2,3)@torch.ones(0,3,4)",
    "torch.ones(2,2,0)@torch.ones(2,0,4)", "torch.arange(12).view(2,2,3)@torch.arange(3)",
    "torch.trace(torch.ones(2))", "torch.ones(2).tril()", "torch.tril(torch.ones(2,2)>0)",
    "torch.arange(9).view(3,3).trace()", "torch.arange(4).int().view(2,2).trace()", "A.repeat(2)", "A.repeat(0,2)",
    "A.flip(0,0)", "A.flip([])", "A.flip(5)",
    "A.diagonal(5)", "A.diagonal(-5)", "A.diagonal(0,0,0)", "A[0].diagonal()",
    "torch.linalg.solve(torch.ones(2,2),torch.ones(2))", "torch.linalg.solve(A,A)",
    "torch.linalg.solve(torch.eye(2),torch.ones(3))",
    "torch.linalg.cholesky(-torch.eye(2))", "torch.linalg.cholesky(A)",
    "torch.linalg.cholesky(torch.tensor([[1.,2],[2,1]]))", "torch.linalg.solve(torch.eye(2).long(),torch.ones(2))",
    "torch.linalg.solve_triangular(A,A,upper=True)", "torch.linalg.norm(torch.arange(3))",
    "torch.empty(0,3).max(0)", "tuple(torch.empty(0,3).max(1))",
    "torch.empty(0,3).median(0)", "torch.empty(0).median()", "torch.empty(0).nanmedian()",
    "tuple(torch.empty(0).sort())", "tuple(torch.tensor([1.,float('nan'),0]).max(0))",
    "tuple(torch.tensor([1.,float('nan'),0]).min(0))", "tuple(torch.tensor([1.,float('nan'),0]).median(0))",
    "torch.tensor([1.,float('nan'),0]).median()", "tuple(torch.tensor([1.,float('nan'),0]).nanmedian(0))",
    "torch.tensor([1.,float('nan'),0]).nanmedian()", "torch.tensor([float('nan'),float('nan')]).nanmedian()",
    "tuple(torch.tensor([float('nan'),float('nan')]).nanmedian(0))",
    "tuple(torch.tensor([1.,float('nan'),0]).sort())",
    "tuple(torch.tensor([1.,float('nan'),0]).sort(descending=True))", "torch.tensor([1,2,2,0]).median()",
    "tuple(torch.tensor([1,2,2,0]).max(0))",
    "tuple(torch.tensor([True,False]).max(0))", "tuple(torch.tensor([True,False]).sort())",
    "torch.tensor([1,2,2,0]).argsort(descending=True)", "tuple(torch.tensor([[2,2],[2,0]]).max(1))",
    "tuple(torch.tensor([[2,2],[2,0]]).min(0,keepdim=True))", "torch.tensor([3,1,2]).max(torch.tensor(2))",
    "tuple(torch.max(A,1,keepdim=True))", "tuple(torch.sort(A,dim=0))", "tuple(torch.min(torch.tensor(3.),0))",
    "A.max(5)", "A.sort(5)", "A.median(7)", "A.argsort(3)",
    "torch.tensor([3,1,3]).unique()", "torch.tensor([3,1,3]).unique(return_inverse=True)",
    "torch.tensor([[3,1],[3,1],[0,2]]).unique(dim=0,return_inverse=True,return_counts=True)",
    "torch.tensor([[3,1],[3,1]]).unique(return_inverse=True,return_counts=True)",
    "torch.tensor([float('nan'),float('nan'),1]).unique()", "torch.isin(torch.tensor([1,2]),2)",
    "torch.isin(torch.tensor([1,2]),torch.tensor([2,3]))", "torch.searchsorted(torch.tensor([1.,2]),1.5)",
    "torch.searchsorted(torch.tensor([1.,2]),torch.tensor([[1.,3.]]),right=True)",
    "torch.bucketize(1.5,torch.tensor([1.,2]))",
    "torch.bucketize(torch.tensor([1,2]),torch.ones(2,2))", "A.squeeze(5)", "A.squeeze((0,0))",
    "A.squeeze(dim=0).shape", "A.squeeze((0,-1)).shape", "A.clone().squeeze_(4)", "A.clone().t_().stride()",
    "A.clone().unsqueeze_(1)._version", "torch.ones(2,2,2).t_()", "L.t_()", "L.detach().t_()", "L.squeeze_()",
    "L.unsqueeze_(0)", "(L*1).tril_()._version", "A.bernoulli_(3)",
    "torch.tensor([1,2]).bernoulli_(0.5)", "torch.tensor([1,2]).random_(5,2)",
    "torch.tril(A,diagonal=1)", "tuple(L.sort())",
    "tuple(L.max(0))",
    "torch.initial_seed()==torch.default_generator.initial_seed()", "torch.Generator().initial_seed()",
    "tuple(A.median(dim=1,keepdim=True))", "torch.median(A)", "A.mT.shape", "A.gather(dim=1,index=i)",
    "A.scatter(dim=1,index=i,src=A)", "A.scatter_add(dim=1,index=i,src=A)",
    "torch.linalg.LinAlgError.__mro__[1]",
    "A.T[1].as_strided((2,),(1,),0)", "A[1].as_strided((4,),(1,))", "torch.ones(3).as_strided((2,2),(0,1)).add_(1)",
    "torch.cat([torch.empty(0),i])", "torch.empty(0,3).chunk(3)", "A[0].mT", "A.flatten(1,0)", "L.flatten(1,1)",
    "A.permute(0,0)", "A.split([-1,4],1)", "A.split([1,1],1)", "torch.empty(0,3).view(-1,0)", "(A>0)@(B>0)",
    "A@B.long()", "torch.addmm(torch.ones(4),A.double(),B.double())", "torch.addmm(torch.ones(3),A,B)",
    "torch.linalg.solve(torch.eye(2),A[0,0])", "torch.linalg.solve(torch.eye(2).half(),A.half())",
    "torch.linalg.solve(torch.eye(2).expand(3,2,2),torch.ones(4,2,1))",
    "torch.linalg.solve_triangular(torch.zeros(2,2),torch.ones(2,1),upper=True)",
    "torch.linalg.solve_triangular(torch.eye(2),torch.ones(3,1),upper=True)",
    "torch.linalg.norm(A[0],'fro')",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_text_agrees(expression: str) -> None:
    assert _text(autograd_teach, expression) == _text(torch, expression)


def _text(library: Any, expression: str) -> str:
    """What an expression prints, or its error."""
    library.manual_seed(0)
    names = {
        "torch": library,
        "A": library.arange(6.0).reshape(2, 3),
        "B": library.ones(3, 4),
        "i": library.tensor([[0, 1, 0], [1, 0, 0]]),
        "L": library.tensor([[0.5, 1.5]], requires_grad=True),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(expression, names))
        except Exception as error:  # noqa: BLE001  whatever it is, it is compared
            return f"{type(error).__name__.lstrip('_')}: {error}"
