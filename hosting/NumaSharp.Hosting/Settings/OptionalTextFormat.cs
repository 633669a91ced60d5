namespace NumaSharp.Hosting.Configuration;

/// <summary>As <see cref="OptionalFormat{T}"/>, for text: <see langword="null"/> if left out.</summary>
internal sealed class OptionalTextFormat(SettingFormat<string> format) : SettingFormat<string?>
{
    public override string Allowed => format.Allowed;

    public override SettingShape Shape => format.Shape;

    public override bool TryParse(string text, out string? value)
    {
        var isRead = format.TryParse(text, out var read);
        value = read;
        return isRead;
    }

    public override bool IsAllowed(string? value) => value is null || format.IsAllowed(value);

    public override string? Guess(string text) => format.Guess(text);

    public override string ToText(string? value) => value is null ? "" : format.ToText(value);
}
