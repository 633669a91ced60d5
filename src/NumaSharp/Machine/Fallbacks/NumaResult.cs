using NumaSharp.Interop;

namespace NumaSharp.Core;

/// <summary>The outcome of a provider call, as a value: placement is advice, so a refusal is not an exception.</summary>
public readonly record struct NumaResult
{
    // Null for none, so that default equals Success.
    private readonly string? _errorName;

    /// <summary>Takes the value of each property.</summary>
    /// <param name="failure"><see cref="Failure"/></param>
    /// <param name="errorCode"><see cref="ErrorCode"/></param>
    /// <param name="errorName"><see cref="ErrorName"/></param>
    public NumaResult(NumaFailure failure, int errorCode, string errorName)
    {
        Failure = failure;
        ErrorCode = errorCode;
        ErrorName = errorName;
    }

    /// <summary>The kind of failure, or <see cref="NumaFailure.None"/>.</summary>
    public NumaFailure Failure { get; init; }

    /// <summary>The system's code (errno on Linux, Win32 error on Windows), 0 on success.</summary>
    public int ErrorCode { get; init; }

    /// <summary>The system's name for the code, such as <c>EPERM</c>; empty on success.</summary>
    public string ErrorName
    {
        get => _errorName ?? "";
        init => _errorName = string.IsNullOrEmpty(value) ? null : value;
    }

    /// <summary>Success.</summary>
    public static NumaResult Success => new(NumaFailure.None, 0, "");

    /// <summary>Whether the call succeeded.</summary>
    public bool Succeeded => Failure == NumaFailure.None;

    /// <summary>Throws if the call failed.</summary>
    /// <param name="operation">The operation, such as <c>mbind</c>.</param>
    /// <param name="nodeId">The node it was for, when there is one.</param>
    /// <exception cref="NumaException">The call failed.</exception>
    public void ThrowIfFailed(string operation, NumaNodeId? nodeId = null)
    {
        if (!Succeeded)
        {
            throw new NumaException(operation, this, nodeId);
        }
    }

    /// <summary>The error's name, or <c>ok</c>.</summary>
    public override string ToString() => Succeeded ? "ok" : ErrorName;
}

/// <summary>Why a provider call failed, in terms that are the same on every platform.</summary>
public enum NumaFailure
{
    /// <summary>The call succeeded.</summary>
    None,

    /// <summary>
    /// Refused by policy: EPERM or EACCES. Docker's default seccomp profile refuses mbind(2) and move_pages(2) this way.
    /// </summary>
    NotPermitted,

    /// <summary>The system has no such call or no NUMA: ENOSYS, EOPNOTSUPP.</summary>
    NotSupported,

    /// <summary>An argument is wrong for this machine, such as a node that is not online: EINVAL.</summary>
    InvalidArgument,

    /// <summary>No memory, address space, or quota left: ENOMEM, EAGAIN of mlock limits.</summary>
    OutOfMemory,

    /// <summary>Anything else; see the error name.</summary>
    Other,
}

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

/// <summary>Turns the outcome of a system call into an exception where execution cannot continue.</summary>
internal static class NumaResultExtensions
{
    public static void ThrowIfFailed(this SysResult result, string operation)
    {
        if (!result.Succeeded)
        {
            throw new NumaException(operation, NumaResults.From(result));
        }
    }
}
