using System.Text.Json;
using System.Text.Json.Nodes;

namespace NumaSharp.Tool.Tests;

/// <summary>Compares answers about a machine and about a snapshot of it.</summary>
internal static class SnapshotAssert
{
    private static readonly JsonSerializerOptions s_lines = new() { WriteIndented = true };

    /// <summary>All but free memory, which changes, and warnings, which name the folder that was read.</summary>
    public static void SameTopology(JsonElement expected, JsonElement actual) =>
        Same(WithoutMoment(expected), WithoutMoment(actual));

    /// <summary>As above, of a machine that other processes use meanwhile: they may make huge pages and take them.</summary>
    public static void SameTopologyOfALiveMachine(JsonElement expected, JsonElement actual) =>
        Same(WithoutHugePageCounts(expected), WithoutHugePageCounts(actual));

    // As text, whose first difference a failure shows.
    private static void Same(JsonObject expected, JsonObject actual) =>
        Assert.Equal(expected.ToJsonString(s_lines), actual.ToJsonString(s_lines));

    private static JsonObject WithoutMoment(JsonElement document)
    {
        var topology = JsonObject.Create(document)!;
        topology.Remove("warnings");
        foreach (var node in topology["nodes"]!.AsArray())
        {
            node!.AsObject().Remove("memoryFreeBytes");
        }

        return topology;
    }

    private static JsonObject WithoutHugePageCounts(JsonElement document)
    {
        var topology = WithoutMoment(document);
        foreach (var pages in topology["nodes"]!.AsArray().SelectMany(static node => node!["hugePages"]!.AsArray()))
        {
            pages!.AsObject().Remove("total");
            pages.AsObject().Remove("free");
        }

        return topology;
    }
}
