using System.Text.Json;
using System.Text.Json.Serialization;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>Reads the answers of GET /where and GET /memory.</summary>
[JsonSerializable(typeof(JsonElement))]
internal sealed partial class JsonAnswer : JsonSerializerContext;
