using System.Text.Json.Serialization;

namespace NumaSharp.Tool.Doctor;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    WriteIndented = true,
    Converters = [typeof(SeverityJsonConverter)])]
[JsonSerializable(typeof(Diagnosis))]
internal sealed partial class DoctorJson : JsonSerializerContext;
