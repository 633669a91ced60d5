using System.Text.Json.Serialization;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Topology;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true, Converters = [typeof(CpuSetJsonConverter)])]
[JsonSerializable(typeof(TopologyDocument))]
internal sealed partial class TopologyJson : JsonSerializerContext;
