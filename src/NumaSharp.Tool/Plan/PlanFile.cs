using System.Text.Json;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Plan;

/// <summary>
/// What <c>plan --format json</c> has written, by this version or another: names are those of the JSON, values are for people.
/// </summary>
internal sealed class PlanFile
{
    // Positions in the list mean nothing where another list is longer; the others repeat what other properties say.
    private static readonly HashSet<string> s_leftOut = ["nodeId", "nodeIndex", "servesItself", "memoryNodeId"];

    // A key that is there twice would hide what is different.
    private static readonly JsonDocumentOptions s_options = new() { AllowDuplicateProperties = false };

    private readonly int[] _nodeIds;

    private PlanFile(JsonElement root)
    {
        JsonElement[] nodes = [.. root.GetProperty("nodes").EnumerateArray()];
        _nodeIds = [.. nodes.Select(IdOf)];
        Facts = new(root.EnumerateObject()
            .Where(static property => property.Name is not ("nodes" or "notes"))
            .Select(static property => KeyValuePair.Create(ToolText.OneLine(property.Name), Describe(property.Value))));
        Nodes = nodes.ToDictionary(IdOf, node => new OrderedDictionary<string, string>(
            node.EnumerateObject().Where(static property => !s_leftOut.Contains(property.Name)).Select(FactOfNode)));
        Notes = [.. root.GetProperty("notes").EnumerateArray().Select(Describe)];
    }

    /// <summary>What holds for all nodes.</summary>
    public OrderedDictionary<string, string> Facts { get; }

    /// <summary>What holds for each node, by its kernel id.</summary>
    public IReadOnlyDictionary<int, OrderedDictionary<string, string>> Nodes { get; }

    public IReadOnlyList<string> Notes { get; }

    /// <exception cref="ToolException">It is something else.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static PlanFile Read(string path)
    {
        try
        {
            using var document = JsonDocument.Parse(File.ReadAllText(path), s_options);
            return new PlanFile(document.RootElement);
        }
        catch (Exception exception) when (exception is JsonException or KeyNotFoundException or InvalidOperationException
            or FormatException or ArgumentException)
        {
            // A property is missing, of another kind, or there twice as it is shown.
            throw new ToolException(
                $"'{path}' is not what 'numasharp plan --format json' writes: {exception.Message}", exception);
        }
    }

    private static int IdOf(JsonElement node) => node.GetProperty("nodeId").GetInt32() is var id and >= 0 and <= CpuSet.MaxId
        ? id
        : throw new JsonException($"'nodeId' must be from 0 to {CpuSet.MaxId}.");

    private KeyValuePair<string, string> FactOfNode(JsonProperty property) => property.Name switch
    {
        "servingIndex" => new("servedBy", NodeAt(property.Value)),
        "neighbors" => new(property.Name, Join(property.Value.EnumerateArray().Select(NodeAt))),
        _ => new(ToolText.OneLine(property.Name), Describe(property.Value)),
    };

    private string NodeAt(JsonElement position) => position.GetInt32() is var index && index >= 0 && index < _nodeIds.Length
        ? $"node {ToolText.Number(_nodeIds[index])}"
        : throw new JsonException($"there is no node at position {index}.");

    private static string Describe(JsonElement value)
    {
        if (value.ValueKind != JsonValueKind.Array)
        {
            var text = ToolText.OneLine(value.ValueKind == JsonValueKind.String ? value.GetString()! : value.GetRawText());
            return text.Length > 0 ? text : "none";
        }

        JsonElement[] items = [.. value.EnumerateArray()];
        var sets = new List<CpuSet>();
        foreach (var item in items)
        {
            if (item.ValueKind == JsonValueKind.String && CpuSet.TryParseList(item.GetString(), out var set) && !set.IsEmpty)
            {
                sets.Add(set);
            }
        }

        return sets.Count == items.Length ? PlanView.Describe(sets) : Join(items.Select(Describe));
    }

    private static string Join(IEnumerable<string> items) => string.Join(", ", items) is { Length: > 0 } all ? all : "none";
}
