using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Settings;

/// <summary>Reads a plugin's section key by key, and collects errors, including unknown keys.</summary>
internal sealed class SettingsReader(NumaPluginSettings settings)
{
    private readonly HashSet<string> _asked = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<NumaSettingProblem> _problems = [];

    private delegate bool Parser<T>(string text, out T value);

    public string? Text(string key)
    {
        _asked.Add(key);
        return settings.Values.TryGetValue(key, out var text) ? text.Trim() : null;
    }

    public CpuSet? List(string key) => Read(
        key, static (string text, out CpuSet? set) => CpuSet.TryParseList(text, out set), "a kernel list such as '0-3,8'");

    public int? Integer(string key, int minimum, int maximum)
    {
        bool TryParse(string text, out int? value)
        {
            var parsed = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number);
            value = number;
            return parsed && number >= minimum && number <= maximum;
        }

        return Read<int?>(key, TryParse, string.Create(CultureInfo.InvariantCulture, $"an integer from {minimum} to {maximum}"));
    }

    public IReadOnlyList<int>? Integers(string key)
    {
        static bool TryParse(string text, out IReadOnlyList<int>? values)
        {
            var parts = text.Split(',', StringSplitOptions.TrimEntries);
            var numbers = new int[parts.Length];
            values = numbers;
            return parts.Index().All(part =>
                int.TryParse(part.Item, NumberStyles.None, CultureInfo.InvariantCulture, out numbers[part.Index]));
        }

        return Read<IReadOnlyList<int>?>(key, TryParse, "integers such as '10,21'");
    }

    public long? Size(string key) => Read(
        key,
        static (string text, out long? value) =>
        {
            var parsed = ByteSize.TryParse(text, out var size);
            value = size;
            return parsed;
        },
        "a size such as '2MiB', '16GiB' or a number of bytes");

    public bool? Flag(string key) => Read(
        key,
        static (string text, out bool? value) =>
        {
            var parsed = bool.TryParse(text, out var flag);
            value = flag;
            return parsed;
        },
        "true or false");

    public T? Choice<T>(string key)
        where T : struct, Enum
    {
        var names = Enum.GetNames<T>();
        bool TryParse(string text, out T? value)
        {
            var name = Array.Find(names, name => name.Equals(text, StringComparison.OrdinalIgnoreCase));
            value = name is null ? null : Enum.Parse<T>(name);
            return name is not null;
        }

        return Read<T?>(key, TryParse, $"one of {string.Join(", ", names)}");
    }

    /// <summary>The items of a list in the order of their indexes, as key prefixes.</summary>
    public IReadOnlyList<string> Items(string list)
    {
        var prefix = list + ":";
        return
        [
            .. settings.Values.Keys
                .Where(key => key.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))
                .Select(key => key[prefix.Length..].Split(':')[0])
                .Where(static index => index.Length is > 0 and < 7 && index.All(char.IsAsciiDigit))
                .Distinct(StringComparer.Ordinal)
                .OrderBy(static index => int.Parse(index, CultureInfo.InvariantCulture))
                .Select(index => prefix + index),
        ];
    }

    public void Refuse(string key, string value, string reason) =>
        _problems.Add(new NumaSettingProblem($"{settings.Section}:{key}", value, reason));

    /// <exception cref="NumaSettingException">There are errors.</exception>
    public void ThrowIfWrong(string knownKeys)
    {
        foreach (var (key, value) in settings.Values
            .Where(pair => !_asked.Contains(pair.Key))
            .OrderBy(static pair => pair.Key, StringComparer.OrdinalIgnoreCase))
        {
            Refuse(key, value, $"is not a known key; known are {knownKeys}");
        }

        if (_problems.Count > 0)
        {
            throw new NumaSettingException(_problems);
        }
    }

    private T? Read<T>(string key, Parser<T> parse, string allowed)
    {
        if (Text(key) is not { } text)
        {
            return default;
        }

        if (parse(text, out var value))
        {
            return value;
        }

        Refuse(key, text, $"must be {allowed}");
        return default;
    }
}
