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
}
