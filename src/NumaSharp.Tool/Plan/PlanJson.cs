using System.Text.Json.Serialization;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Plan;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    WriteIndented = true,
    UseStringEnumConverter = true,
    Converters = [typeof(CpuSetJsonConverter)])]
[JsonSerializable(typeof(PlanDocument))]
internal sealed partial class PlanJson : JsonSerializerContext;
