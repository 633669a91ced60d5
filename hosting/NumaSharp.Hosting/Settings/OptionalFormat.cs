namespace NumaSharp.Hosting.Configuration;

/// <summary>A value that may be left out, in favour of a more general one.</summary>
internal sealed class OptionalFormat<T>(SettingFormat<T> format) : SettingFormat<T?>
    where T : struct
{
    public override string Allowed => format.Allowed;

    public override SettingShape Shape => format.Shape;

    public override bool TryParse(string text, out T? value)
    {
        var isRead = format.TryParse(text, out var read);
        value = read;
        return isRead;
    }

    public override bool IsAllowed(T? value) => value is not { } set || format.IsAllowed(set);

    public override string? Guess(string text) => format.Guess(text);

    public override string ToText(T? value) => value is { } set ? format.ToText(set) : "";
}
