namespace NumaSharp.Core;

/// <summary>A NUMA operation failed where the caller asked for certainty (strict binding, reading a machine).</summary>
public class NumaException : Exception
{
    /// <summary>Creates it for a failed system operation.</summary>
    /// <param name="operation">What was tried, such as <c>mbind</c>.</param>
    /// <param name="result">How it failed.</param>
    /// <param name="nodeId">The node it was for, when there is one.</param>
    public NumaException(string operation, NumaResult result, NumaNodeId? nodeId = null)
        : base(Describe(operation, result, nodeId))
    {
        Operation = operation;
        Result = result;
        NodeId = nodeId;
    }

    /// <summary>Creates it with a text of its own.</summary>
    /// <param name="message">What is wrong, and what to do.</param>
    /// <param name="innerException">The cause, when there is one.</param>
    public NumaException(string message, Exception? innerException = null)
        : base(message, innerException) => Operation = "";

    /// <summary>What was tried; empty when it was not a system operation.</summary>
    public string Operation { get; }

    /// <summary>How it failed.</summary>
    public NumaResult Result { get; }

    /// <summary>The node it was for, when there is one.</summary>
    public NumaNodeId? NodeId { get; }

    private static string Describe(string operation, NumaResult result, NumaNodeId? nodeId) =>
        nodeId is { } node
            ? $"{operation} for node {node} failed: {result.ErrorName}."
            : $"{operation} failed: {result.ErrorName}.";
}
