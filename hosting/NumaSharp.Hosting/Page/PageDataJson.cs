using System.Text.Json.Serialization;

namespace NumaSharp.Hosting.Page;

/// <summary>The JSON of the page; docs/reference/page.md describes it.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(PageData))]
internal sealed partial class PageDataJson : JsonSerializerContext;
