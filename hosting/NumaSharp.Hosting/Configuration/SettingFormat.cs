using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Hosting.Configuration;

/// <summary>How values of a type are written in configuration. Text is always invariant.</summary>
internal abstract class SettingFormat<T>
{
    /// <summary>What is allowed, to follow "must be".</summary>
    public abstract string Allowed { get; }

    public abstract SettingShape Shape { get; }

    public abstract bool TryParse(string text, [MaybeNullWhen(false)] out T value);

    public virtual bool IsAllowed(T value) => true;

    public abstract string ToText(T value);

    /// <summary>What may have been meant by a text that is not allowed; it need not be allowed either.</summary>
    public virtual string? Guess(string text) => null;

    /// <summary>What is allowed in place of a text, with what may have been meant.</summary>
    public string ReasonFor(string text) => Guess(text) is { } guess && TryParse(guess, out var value) && IsAllowed(value)
        ? $"{Allowed}; did you mean '{guess}'?"
        : Allowed;

    /// <summary>Reads a configured key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="path">What it is called in the failure.</param>
    /// <param name="value">The value, when there is one that is allowed.</param>
    /// <param name="failure">Why what is there cannot be read; also without a value there may be none.</param>
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
