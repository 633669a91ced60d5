using System.Text.Json.Serialization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>The buffer on a node, as reported by the kernel; also part of <see cref="MatrixDocument"/>.</summary>
/// <param name="NodeId">The node.</param>
/// <param name="Placement">How it was placed: bound, preferred or first touch.</param>
/// <param name="PagesChecked">The number of pages looked up; 0 if the system refuses to report them.</param>
/// <param name="PagesThere">The number of those on the node.</param>
/// <param name="HugePageBytes">The bytes in huge pages; <see langword="null"/> if the system does not report them.</param>
/// <param name="Reason">Why there is no buffer; <see langword="null"/> if there is one.</param>
internal sealed record MatrixColumn(
    [property: JsonPropertyName("id")] NumaNodeId NodeId,
    string Placement,
    long PagesChecked,
    long PagesThere,
    long? HugePageBytes,
    string? Reason);
