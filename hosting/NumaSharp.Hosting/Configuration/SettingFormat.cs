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
}
