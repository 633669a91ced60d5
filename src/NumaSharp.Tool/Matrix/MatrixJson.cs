using System.Text.Json.Serialization;

namespace NumaSharp.Tool.Matrix;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(MatrixDocument))]
internal sealed partial class MatrixJson : JsonSerializerContext;
