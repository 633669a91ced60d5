using System.Text.Json;
using System.Text.Json.Serialization;

namespace NumaSharp.Tool.Doctor;

/// <summary>Reads and writes severities in lower case, as <c>--fail-on</c> takes them.</summary>
internal sealed class SeverityJsonConverter()
    : JsonStringEnumConverter<Severity>(JsonNamingPolicy.CamelCase, allowIntegerValues: false);
