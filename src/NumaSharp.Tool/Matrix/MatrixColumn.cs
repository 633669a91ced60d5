using System.Text.Json.Serialization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>The buffer on a node, as the kernel says it is; also what <see cref="MatrixDocument"/> says of it.</summary>
/// <param name="NodeId">The node.</param>
/// <param name="Placement">How it got there: bound, preferred or first touch.</param>
/// <param name="PagesChecked">How many of its pages were looked up; 0 where the system refuses to tell.</param>
/// <param name="PagesThere">How many of them are on the node.</param>
/// <param name="HugePageBytes">How much of it is in huge pages; <see langword="null"/> where the system does not tell.</param>
/// <param name="Reason">Why there is no buffer; <see langword="null"/> when there is one.</param>
internal sealed record MatrixColumn(
    [property: JsonPropertyName("id")] NumaNodeId NodeId,
    string Placement,
    long PagesChecked,
    long PagesThere,
    long? HugePageBytes,
    string? Reason);
