namespace NumaSharp.Core;

/// <summary>The outcome of a provider call, as a value: placement is advice, so a refusal is not an exception.</summary>
public readonly record struct NumaResult
{
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
    public string ErrorName { get; init; }

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
