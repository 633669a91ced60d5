using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Tests.Core;

public sealed class NumaResultsTests
{
    [Theory]
    [InlineData(Errno.EPERM, NumaFailure.NotPermitted, "EPERM")]
    [InlineData(Errno.EACCES, NumaFailure.NotPermitted, "EACCES")]
    [InlineData(Errno.ENOSYS, NumaFailure.NotSupported, "ENOSYS")]
    [InlineData(Errno.EOPNOTSUPP, NumaFailure.NotSupported, "EOPNOTSUPP")]
    [InlineData(Errno.EINVAL, NumaFailure.InvalidArgument, "EINVAL")]
    [InlineData(Errno.ENOMEM, NumaFailure.OutOfMemory, "ENOMEM")]
    [InlineData(Errno.EAGAIN, NumaFailure.OutOfMemory, "EAGAIN")]
    [InlineData(Errno.EFAULT, NumaFailure.Other, "EFAULT")]
    [InlineData(4000, NumaFailure.Other, "errno 4000")]
    public void From_Errno_IsFailureWithCodeAndName(int errno, NumaFailure failure, string name) =>
        Assert.Equal(new NumaResult(failure, errno, name), NumaResults.From(SysResult.FromErrno(errno)));

    [Fact]
    public void From_Success_IsSuccess() => Assert.True(NumaResults.From(SysResult.FromReturn(7)).Succeeded);

    [Fact]
    public void ErrorName_OfDefault_IsEmptyAsOnSuccess()
    {
        NumaResult result = default;
        Assert.Equal("", result.ErrorName);
        Assert.Equal(NumaResult.Success, result);
        Assert.Equal(NumaResult.Success.GetHashCode(), result.GetHashCode());
    }

    [Fact]
    public void ThrowIfFailed_Failure_ExceptionHasOperationAndResult()
    {
        var result = new NumaResult(NumaFailure.NotPermitted, Errno.EPERM, "EPERM");
        var exception = Assert.Throws<NumaException>(() => result.ThrowIfFailed("mbind", new(2)));
        Assert.Equal("mbind", exception.Operation);
        Assert.Equal(result, exception.Result);
        Assert.Equal(new NumaNodeId(2), exception.NodeId);
        Assert.Equal("mbind for node 2 failed: EPERM.", exception.Message);
    }

    [Fact]
    public void NumaException_WithAMessage_HasNeitherOperationNorResult()
    {
        var exception = new NumaException("cpu/online is empty.");
        Assert.Null(exception.Operation);
        Assert.Null(exception.Result);
    }
}
