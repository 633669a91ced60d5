using System.Text.Json;
using System.Text.Json.Nodes;

namespace NumaSharp.Tool.Tests;

/// <summary>Compares answers about a machine and about a snapshot of it.</summary>
internal static class SnapshotAssert
{
    /// <summary>All but free memory, which changes, and warnings, which name the folder that was read.</summary>
    public static void SameTopology(JsonElement expected, JsonElement actual) =>
        Assert.Equal(WithoutMoment(expected), WithoutMoment(actual));

    private static string WithoutMoment(JsonElement document)
    {
        var topology = JsonObject.Create(document)!;
        topology.Remove("warnings");
        foreach (var node in topology["nodes"]!.AsArray())
        {
            node!.AsObject().Remove("memoryFreeBytes");
        }

        return topology.ToJsonString(new JsonSerializerOptions { WriteIndented = true });
    }
}
