namespace NumaSharp.Core;

/// <summary>The outcome of a provider call, as a value: placement is advice, so a refusal is not an exception.</summary>
/// <param name="Failure">What kind of failure, or <see cref="NumaFailure.None"/>.</param>
/// <param name="ErrorCode">The system's code (errno on Linux, Win32 error on Windows), 0 on success.</param>
/// <param name="ErrorName">The system's name for the code, such as <c>EPERM</c>; empty on success.</param>
public readonly record struct NumaResult(NumaFailure Failure, int ErrorCode, string ErrorName)
{
    /// <summary>Success.</summary>
    public static NumaResult Success => new(NumaFailure.None, 0, "");

    /// <summary>Whether it was done.</summary>
    public bool Succeeded => Failure == NumaFailure.None;

    /// <summary>Throws when it was not done.</summary>
    /// <param name="operation">What was tried, such as <c>mbind</c>.</param>
    /// <param name="nodeId">The node it was for, when there is one.</param>
    /// <exception cref="NumaException">The call failed.</exception>
    public void ThrowIfFailed(string operation, int? nodeId = null)
    {
        if (!Succeeded)
        {
            throw new NumaException(operation, this, nodeId);
        }
    }

    /// <summary>The error's name, or <c>ok</c>.</summary>
    public override string ToString() => Succeeded ? "ok" : ErrorName;
}
