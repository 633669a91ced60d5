using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>A line of a file of facts, "key: field; field", and its position.</summary>
internal sealed class FactsLine(string file, int number, string key, string value)
{
    private readonly List<string> _fields =
        [.. value.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)];

    public string Key => key;

    public string Value => value;

    public FormatException Error(string message) =>
        new(string.Create(CultureInfo.InvariantCulture, $"{file}({number}): '{key}: {value}': {message}"));

    /// <summary>A part of the line with its own fields.</summary>
    public FactsLine Part(string text) => new(file, number, key, text);

    /// <summary>Takes the field that begins with a word; <see langword="null"/> if there is none.</summary>
    public string? TakeOptional(string word)
    {
        var at = _fields.FindIndex(field => field == word || field.StartsWith(word + " ", StringComparison.Ordinal));
        if (at < 0)
        {
            return null;
        }

        var rest = _fields[at][word.Length..].Trim();
        _fields.RemoveAt(at);
        return rest;
    }

    public string Take(string word) => TakeOptional(word) ?? throw Error($"the field '{word} ...' is needed");

    public string TakeFirst()
    {
        var first = _fields.FirstOrDefault() ?? throw Error("a value is needed");
        _fields.RemoveAt(0);
        return first;
    }

    public bool TakeFlag(string word) => TakeOptional(word) switch
    {
        null => false,
        "" => true,
        _ => throw Error($"'{word}' has no value"),
    };

    /// <summary>Fails if a field was not taken: it is misspelt, or belongs to another kind of line.</summary>
    public void End()
    {
        if (_fields.Count > 0)
        {
            throw Error($"the field '{_fields[0]}' is not known here");
        }
    }

    public CpuSet List(string text) => text == "none" ? CpuSet.Empty
        : CpuSet.TryParseList(text, out var set) && !set.IsEmpty ? set
        : throw Error($"'{text}' is neither a list such as 0-3,8 nor 'none'");

    public IReadOnlyList<CpuSet> Lists(string text) => [.. Words(text).Select(List)];

    public int Number(string text) => int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var id)
        ? id
        : throw Error($"'{text}' is not a number");

    public int? NumberOrNone(string text) => text == "none" ? null : Number(text);

    public long Long(string text) => long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var count)
        ? count
        : throw Error($"'{text}' is not a number");

    public long Kilobytes(string text) => text.EndsWith(" kB", StringComparison.Ordinal)
        ? Long(text[..^3])
        : throw Error($"'{text}' is not of the form 'N kB'");

    public static string[] Words(string text) =>
        text.Split(' ', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

    /// <summary>The two parts of "left separator right".</summary>
    public (string Left, string Right) Pair(string text, string separator)
    {
        var at = text.IndexOf(separator, StringComparison.Ordinal);
        return at >= 0
            ? (text[..at].Trim(), text[(at + separator.Length)..].Trim())
            : throw Error($"'{text}' has no '{separator.Trim()}'");
    }
}
