namespace NumaSharp.Core;

/// <summary>A NUMA operation failed that must not fall back (strict binding, reading a machine).</summary>
public class NumaException : Exception
{
    /// <summary>Creates it for a failed system operation.</summary>
    /// <param name="operation">The operation, such as <c>mbind</c>.</param>
    /// <param name="result">The failure.</param>
    /// <param name="nodeId">The node it was for, when there is one.</param>
    public NumaException(string operation, NumaResult result, NumaNodeId? nodeId = null)
        : base(Describe(operation, result, nodeId))
    {
        Operation = operation;
        Result = result;
        NodeId = nodeId;
    }

    /// <summary>Creates it with a message.</summary>
    /// <param name="message">What is wrong, and what to do.</param>
    /// <param name="innerException">The cause, when there is one.</param>
    public NumaException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <summary>The operation; null when it was not a system operation.</summary>
    public string? Operation { get; }

    /// <summary>The failure; null when it was not a system operation.</summary>
    public NumaResult? Result { get; }

    /// <summary>The node it was for, when there is one.</summary>
    public NumaNodeId? NodeId { get; }

    private static string Describe(string operation, NumaResult result, NumaNodeId? nodeId) =>
        nodeId is { } node
            ? $"{operation} for node {node} failed: {result.ErrorName}."
            : $"{operation} failed: {result.ErrorName}.";
}
