using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace NumaSharp.Hosting.Tests.Schema;

/// <summary>Checks a document against the subset of JSON schema that ours uses; refuses a schema that uses more.</summary>
internal static class SchemaWalker
{
    private static readonly HashSet<string> s_understood =
    [
        "$schema", "type", "description", "default", "properties", "additionalProperties",
        "patternProperties", "enum", "minimum", "maximum", "pattern", "items", "if", "else",
    ];

    public static IEnumerable<string> Check(JsonNode? value, JsonObject schema, string path = "")
    {
        foreach (var keyword in schema.Select(static pair => pair.Key).Where(keyword => !s_understood.Contains(keyword)))
        {
            yield return $"{path}: the schema's '{keyword}' is not understood by this test";
        }

        var types = TypesOf(schema);
        if (!types.Any(type => Is(value, type)))
        {
            yield return $"{path}: is {value?.GetValueKind().ToString() ?? "null"}, must be {string.Join(" or ", types)}";
            yield break;
        }

        var failures = value switch
        {
            JsonObject container => CheckObject(container, schema, path),
            JsonArray items => items.SelectMany((item, index) => Check(item, schema["items"]!.AsObject(), $"{path}/{index}")),
            _ => CheckValue(value, schema, path),
        };
        foreach (var failure in failures)
        {
            yield return failure;
        }
    }

    private static IEnumerable<string> CheckObject(JsonObject container, JsonObject schema, string path)
    {
        if (schema["else"]?["propertyNames"]?["enum"] is JsonArray names
            && !schema["if"]!["required"]!.AsArray().All(name => container.ContainsKey(name!.GetValue<string>())))
        {
            foreach (var (name, _) in container.Where(child => !names.Any(known => known!.GetValue<string>() == child.Key)))
            {
                yield return $"{path}/{name}: is not one of {names.ToJsonString()}";
            }
        }

        foreach (var (name, child) in container)
        {
            if ((FindProperty(schema, name) ?? schema["additionalProperties"] as JsonObject) is { } known)
            {
                foreach (var failure in Check(child, known, $"{path}/{name}"))
                {
                    yield return failure;
                }
            }
            else if (schema["additionalProperties"]?.GetValue<bool>() == false)
            {
                yield return $"{path}/{name}: is not a known property";
            }
        }
    }

    private static JsonObject? FindProperty(JsonObject schema, string name) =>
        schema["properties"]?[name] as JsonObject
        ?? (schema["patternProperties"] as JsonObject)?.FirstOrDefault(pattern => IsMatch(name, pattern.Key)).Value as JsonObject;

    private static bool IsMatch(string text, string pattern) =>
        Regex.IsMatch(text, pattern, RegexOptions.ECMAScript, Timeout.InfiniteTimeSpan);

    private static IEnumerable<string> CheckValue(JsonNode? value, JsonObject schema, string path)
    {
        if (schema["enum"] is JsonArray names && !names.Any(name => JsonNode.DeepEquals(name, value)))
        {
            yield return $"{path}: must be one of {names.ToJsonString()}";
        }

        if (Is(value, "string")
            && schema["pattern"]?.GetValue<string>() is { } pattern
            && !IsMatch(value!.GetValue<string>(), pattern))
        {
            yield return $"{path}: '{value}' does not match {pattern}";
        }

        if (Is(value, "integer"))
        {
            var number = decimal.Parse(value!.ToJsonString(), CultureInfo.InvariantCulture);
            if (number < schema["minimum"]?.GetValue<decimal>() || number > schema["maximum"]?.GetValue<decimal>())
            {
                yield return $"{path}: {number} is out of range";
            }
        }
    }

    private static string[] TypesOf(JsonObject schema) => schema["type"] is JsonArray several
        ? [.. several.Select(static type => type!.GetValue<string>())]
        : [schema["type"]!.GetValue<string>()];

    private static bool Is(JsonNode? value, string type) => (value?.GetValueKind(), type) switch
    {
        (JsonValueKind.Object, "object") or (JsonValueKind.String, "string") or (JsonValueKind.Array, "array") => true,
        (JsonValueKind.True or JsonValueKind.False, "boolean") => true,
        (JsonValueKind.Number, "integer") => value!.ToJsonString().All(static c => char.IsAsciiDigit(c) || c == '-'),
        _ => false,
    };
}
