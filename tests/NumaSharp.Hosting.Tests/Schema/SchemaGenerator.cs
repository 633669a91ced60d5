using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Schema;

/// <summary>The JSON schema of the settings, from their table.</summary>
internal static class SchemaGenerator
{
    private static readonly JsonSerializerOptions s_format = new()
    {
        WriteIndented = true,
        NewLine = "\n",
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static string Generate()
    {
        var numa = Section("NUMA placement: topology, affinity, memory, scheduler and transport (NumaSharp.Hosting).");
        foreach (var setting in NumaSettings.All)
        {
            var properties = numa["properties"]!.AsObject();
            var parts = setting.Path.Split(':');
            for (var i = 0; i < parts.Length - 1; i++)
            {
                properties = parts[i + 1] switch
                {
                    Setting.AnyIndex => (properties[parts[i++]] ??= List())["items"]!["properties"]!.AsObject(),
                    Setting.AnyName => (properties[parts[i++]] ??= Group())["additionalProperties"]!["properties"]!.AsObject(),
                    _ => (properties[parts[i]] ??= Section(null))["properties"]!.AsObject(),
                };
            }

            properties.Add(parts[^1], Describe(setting));
        }

        var root = new JsonObject
        {
            ["$schema"] = "http://json-schema.org/draft-07/schema#",
            ["type"] = "object",
            ["properties"] = new JsonObject { [NumaSettings.SectionName] = numa },
        };

        // "Numa": false is the key Enabled.
        numa["type"] = new JsonArray("object", "boolean");

        // A plugin's settings are in a section of its name, which may be any where assemblies are named.
        numa["additionalProperties"] = new JsonObject { ["type"] = "object" };
        numa["if"] = new JsonObject { ["required"] = new JsonArray("Plugins") };
        numa["else"] = new JsonObject { ["propertyNames"] = new JsonObject { ["enum"] = NamesOf(numa) } };
        return root.ToJsonString(s_format) + "\n";
    }

    private static JsonArray NamesOf(JsonObject numa) =>
    [
        .. numa["properties"]!.AsObject().Select(static property => property.Key)
            .Concat(KnownPlugin.All.Select(static plugin => plugin.Section).OfType<string>())
            .Select(static name => (JsonNode)name),
    ];

    private static JsonObject Section(string? description)
    {
        var section = new JsonObject
        {
            ["type"] = "object",
            ["properties"] = new JsonObject(),
            ["additionalProperties"] = false,
        };
        if (description is not null)
        {
            section.Insert(1, "description", description);
        }

        return section;
    }

    private static JsonObject Group() => new() { ["type"] = "object", ["additionalProperties"] = Section(null) };

    private static JsonObject List() => new() { ["type"] = "array", ["items"] = Section(null) };

    private static JsonObject Describe(Setting setting)
    {
        var schema = TypeOf(setting.Shape);
        schema.Insert(1, "description", $"{setting.Description} Must be {setting.Allowed}.");
        if (setting.Default.Length > 0)
        {
            schema.Insert(2, "default", DefaultOf(setting));
        }

        return schema;
    }

    private static JsonObject TypeOf(SettingShape shape)
    {
        var schema = new JsonObject
        {
            ["type"] = shape.Types.Length == 1 ? shape.Types[0] : new JsonArray([.. shape.Types.Select(static t => (JsonNode)t)]),
        };
        Add(schema, "enum", shape.Names is null ? null : new JsonArray([.. shape.Names.Select(static name => (JsonNode)name)]));
        Add(schema, "minimum", shape.Minimum);
        Add(schema, "maximum", shape.Maximum);
        Add(schema, "pattern", shape.Pattern);
        if (shape.PerNode is { } values)
        {
            schema["patternProperties"] = new JsonObject { ["^[0-9]+$"] = TypeOf(values) };
            schema["additionalProperties"] = false;
        }

        return schema;
    }

    private static void Add(JsonObject schema, string name, JsonNode? value)
    {
        if (value is not null)
        {
            schema[name] = value;
        }
    }

    // Written as a JSON document would: numbers and flags bare, the rest as text.
    private static JsonNode DefaultOf(Setting setting) =>
        setting.Shape.Types.Contains("boolean")
            || (setting.Shape.Types.Contains("integer") && setting.Default.All(char.IsAsciiDigit))
            ? JsonNode.Parse(setting.Default)!
            : setting.Default;
}
