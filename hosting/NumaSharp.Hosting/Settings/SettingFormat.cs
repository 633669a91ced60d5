using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Hosting.Settings;

/// <summary>How values of a type are written in configuration. Text is always culture-invariant.</summary>
internal abstract class SettingFormat<T>
{
    /// <summary>The allowed values, as text to follow "must be".</summary>
    public abstract string Allowed { get; }

    public abstract SettingShape Shape { get; }

    public abstract bool TryParse(string text, [MaybeNullWhen(false)] out T value);

    public virtual bool IsAllowed(T value) => true;

    public abstract string ToText(T value);

    /// <summary>The probable meaning of a text that is not allowed; it need not be allowed either.</summary>
    public virtual string? Guess(string text) => null;

    /// <summary>The values allowed instead of a text, with a suggestion.</summary>
    public string ReasonFor(string text) => Guess(text) is { } guess && TryParse(guess, out var value) && IsAllowed(value)
        ? $"{Allowed}; did you mean '{guess}'?"
        : Allowed;

    /// <summary>Reads a configured key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="path">The key's name in the failure.</param>
    /// <param name="value">The value, if there is an allowed one.</param>
    /// <param name="failure">Why the key cannot be read; may be null also without a value.</param>
    /// <returns>Whether there is a value.</returns>
    public bool TryRead(
        WrittenKey key, string path, [MaybeNullWhen(false)] out T value, out SettingFailure? failure)
    {
        value = default;
        failure = null;
        if (key.Children.Count > 0)
        {
            failure = new SettingFailure(path, SettingFailure.Structure, $"must be {Allowed}, not an object or an array");
        }
        else if (!string.IsNullOrWhiteSpace(key.Value))
        {
            if (TryParse(key.Value.Trim(), out value) && IsAllowed(value))
            {
                return true;
            }

            failure = new SettingFailure(path, key.Value, $"must be {ReasonFor(key.Value.Trim())}");
        }

        return false;
    }
}

/// <summary>A setting in terms of JSON schema.</summary>
/// <param name="Types">The allowed JSON types.</param>
internal sealed record SettingShape(params string[] Types)
{
    public long? Minimum { get; init; }

    public long? Maximum { get; init; }

    /// <summary>The regular expression (ECMA 262) of string values.</summary>
    public string? Pattern { get; init; }

    public IReadOnlyList<string>? Names { get; init; }

    /// <summary>For an object with a key per node: the shape of the values.</summary>
    public SettingShape? PerNode { get; init; }
}
