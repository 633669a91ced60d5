using System.Collections.ObjectModel;

namespace NumaSharp.Core.Planning;

/// <summary>Values by node, which never change; equal to others with the same values.</summary>
internal sealed class NodeValues<T>(IEnumerable<KeyValuePair<NumaNodeId, T>> values, Func<T, T, bool> areEqual)
    : ReadOnlyDictionary<NumaNodeId, T>(new Dictionary<NumaNodeId, T>(values)), IEquatable<NodeValues<T>>
{
    private readonly Func<T, T, bool> _areEqual = areEqual;

    public bool Equals(NodeValues<T>? other) =>
        other is not null
        && Count == other.Count
        && this.All(pair => other.TryGetValue(pair.Key, out var value) && _areEqual(pair.Value, value));

    public override bool Equals(object? obj) => Equals(obj as NodeValues<T>);

    public override int GetHashCode() => Keys.Aggregate(Count, static (hash, node) => hash ^ node.GetHashCode());
}
