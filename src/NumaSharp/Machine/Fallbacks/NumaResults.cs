using NumaSharp.Interop;

namespace NumaSharp.Core;

/// <summary>The only place that maps an errno to a failure that is the same on every platform.</summary>
internal static class NumaResults
{
    public static NumaResult From(SysResult result) => result.Succeeded
        ? NumaResult.Success
        : new NumaResult(KindOf(result.Errno), result.Errno, result.ErrorName);

    private static NumaFailure KindOf(int errno) => errno switch
    {
        Errno.EPERM or Errno.EACCES => NumaFailure.NotPermitted,
        Errno.ENOSYS or Errno.EOPNOTSUPP => NumaFailure.NotSupported,
        Errno.EINVAL => NumaFailure.InvalidArgument,
        Errno.ENOMEM or Errno.EAGAIN => NumaFailure.OutOfMemory,
        _ => NumaFailure.Other,
    };
}
