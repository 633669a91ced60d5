using System.Globalization;
using System.Text.Json;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Doctor;

/// <summary>
/// The garbage collector's settings: the environment, in hexadecimal, overrides runtimeconfig.json, in decimal
/// (learn.microsoft.com, "Runtime configuration options for garbage collection").
/// </summary>
internal sealed class GcSettings(
    IReadOnlyDictionary<string, string> environment, IReadOnlyDictionary<string, string> runtimeConfig, int? major = null)
{
    private const string Prefix = "DOTNET_";
    private const string ConfigPrefix = "System.GC.";

    private static readonly JsonDocumentOptions s_json = new()
    {
        CommentHandling = JsonCommentHandling.Skip,
        AllowTrailingCommas = true,
        AllowDuplicateProperties = false,
    };

    public static GcSettings None { get; } = new(new Dictionary<string, string>(), new Dictionary<string, string>());

    /// <summary>Whether there are no settings: then nothing is known about the application.</summary>
    public bool IsEmpty => environment.Count == 0 && runtimeConfig.Count == 0;

    /// <summary>Whether the server GC is on; not known: it may be.</summary>
    public GcValue<bool>? Server => Flag("gcServer", "Server");

    /// <summary>DATAS; 0 is off.</summary>
    public GcValue<long>? AdaptationMode => Number("GCDynamicAdaptationMode", "DynamicAdaptationMode");

    public GcValue<long>? HeapCount => Positive("HeapCount");

    public GcValue<long>? MaxHeapCount => Positive("MaxHeapCount");

    public GcValue<CpuSet>? HeapCpus => Ranges("GCHeapAffinitizeRanges", "HeapAffinitizeRanges");

    public GcValue<bool>? NoAffinitize => Flag("GCNoAffinitize", "NoAffinitize");

    /// <summary>All limits of the heap's size that are set.</summary>
    public IEnumerable<GcValue<long>> HardLimits => ManagedHeapSettings.HardLimits.Select(Positive).OfType<GcValue<long>>();

    public bool IsServer => Server is { Value: true };

    public bool IsWorkstation => Server is { Value: false };

    /// <summary>What decides on the heaps.</summary>
    /// <param name="processors">How many CPUs the runtime counts; 0 if that is not known.</param>
    public ManagedHeapSettings OfHeap(int processors)
    {
        var hasHardLimit = HardLimits.Any();
        long?[] counts = [HeapCount?.Value, MaxHeapCount?.Value, processors > 0 ? processors : null];
        return new ManagedHeapSettings
        {
            IsServer = IsServer,

            // On from .NET 9 on, unless the number of heaps is set.
            IsDynamic = HeapCount is null && (AdaptationMode?.Value ?? (major is null or >= 9 ? 1 : 0)) != 0,
            IsAffinitized = ManagedHeapSettings.IsBound(hasHardLimit, HeapCpus is not null, NoAffinitize is { Value: true }),
            HasHardLimit = hasHardLimit,
            HeapCount = counts.Min() ?? 0,
            IsCountChosen = (HeapCount ?? MaxHeapCount) is not null,
            HeapCpus = HeapCpus?.Value,
        };
    }

    /// <summary>Reads the environment and, if given, a program's runtimeconfig.json.</summary>
    /// <exception cref="ToolException">The file cannot be read.</exception>
    public static GcSettings Read(IEnumerable<KeyValuePair<string, string>> environment, string? runtimeConfig)
    {
        var variables = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var (name, value) in environment.Where(static pair => IsGc(pair.Key) && pair.Value.Length > 0))
        {
            variables[name[Prefix.Length..]] = value;
        }

        if (runtimeConfig is null)
        {
            return new GcSettings(variables, new Dictionary<string, string>());
        }

        var (properties, major) = ReadRuntimeConfig(runtimeConfig);
        return new GcSettings(variables, properties, major);
    }

    /// <summary>A switch such as <c>Server</c>.</summary>
    public GcValue<bool>? Flag(string variable, string property) => Find(
        variable, property, static text => ParseHex(text) != 0, static text => bool.TryParse(text, out var on) && on);

    /// <summary>A number such as <c>HeapCount</c>.</summary>
    public GcValue<long>? Number(string variable, string property) => Find(variable, property, ParseHex, ParseDecimal);

    /// <summary>A mask of CPUs.</summary>
    public GcValue<CpuSet>? Mask(string variable, string property) => Find(
        variable, property, static text => FromMask(ParseHex(text)), static text => FromMask(ParseDecimal(text)));

    /// <summary>A list of CPUs.</summary>
    public GcValue<CpuSet>? Ranges(string variable, string property) => Find(variable, property, ParseList, ParseList);

    private GcValue<long>? Positive(string name) => Number($"GC{name}", name) is { Value: > 0 } number ? number : null;

    private static bool IsGc(string variable) =>
        variable.StartsWith(Prefix + "GC", StringComparison.OrdinalIgnoreCase);

    private static (Dictionary<string, string> Properties, int? Major) ReadRuntimeConfig(string path)
    {
        try
        {
            // As the runtime's host reads it: with comments, and a byte order mark from Windows editors.
            using var file = new StreamReader(path);
            using var document = JsonDocument.Parse(file.ReadToEnd(), s_json);
            if (!document.RootElement.TryGetProperty("runtimeOptions", out var options))
            {
                throw new ToolException($"'{path}' is not a runtimeconfig.json: it has no runtimeOptions.");
            }

            // Such as net10.0.
            int? major = options.TryGetProperty("tfm", out var framework)
                && framework.GetString() is { } name
                && name.StartsWith("net", StringComparison.Ordinal)
                && Version.TryParse(name["net".Length..], out var version)
                ? version.Major
                : null;
            var ofTheCollector = options.TryGetProperty("configProperties", out var properties)
                ? properties.EnumerateObject()
                    .Where(static property => property.Name.StartsWith(ConfigPrefix, StringComparison.Ordinal))
                    .ToDictionary(static property => property.Name[ConfigPrefix.Length..], static property => $"{property.Value}")
                : [];
            return (ofTheCollector, major);
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            throw new ToolException($"'{path}' is not a runtimeconfig.json: {exception.Message}", exception);
        }
    }

    private GcValue<T>? Find<T>(string variable, string property, Func<string, T?> fromVariable, Func<string, T?> fromProperty)
    {
        if (environment.TryGetValue(variable, out var text))
        {
            return fromVariable(text) is { } value ? new GcValue<T>(value, new Evidence(Prefix + variable, text)) : null;
        }

        return runtimeConfig.TryGetValue(property, out text) && fromProperty(text) is { } configured
            ? new GcValue<T>(configured, new Evidence(ConfigPrefix + property, text))
            : null;
    }

    private static long ParseHex(string text) =>
        long.TryParse(
            text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? text[2..] : text,
            NumberStyles.AllowHexSpecifier,
            CultureInfo.InvariantCulture,
            out var number)
            ? number
            : 0;

    private static long ParseDecimal(string text) =>
        long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) ? number : 0;

    private static CpuSet? ParseList(string text) => CpuSet.TryParseList(text, out var set) ? set : null;

    private static CpuSet FromMask(long mask) =>
        CpuSet.FromIds(Enumerable.Range(0, 64).Where(bit => (mask >> bit & 1) != 0));
}

/// <summary>A setting of the garbage collector and where it was found.</summary>
internal sealed record GcValue<T>(T Value, Evidence Evidence);
