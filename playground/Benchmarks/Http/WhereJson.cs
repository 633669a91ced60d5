using System.Text.Json;
using System.Text.Json.Serialization;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>Reads the answer of GET /where.</summary>
[JsonSerializable(typeof(JsonElement))]
internal sealed partial class WhereJson : JsonSerializerContext;
