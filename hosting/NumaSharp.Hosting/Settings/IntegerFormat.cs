using System.Globalization;

namespace NumaSharp.Hosting.Configuration;

internal sealed class IntegerFormat(int minimum, int maximum) : SettingFormat<int>
{
    public override string Allowed => string.Create(CultureInfo.InvariantCulture, $"an integer from {minimum} to {maximum}");

    public override SettingShape Shape { get; } = new("integer") { Minimum = minimum, Maximum = maximum };

    public override bool TryParse(string text, out int value) =>
        int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);

    public override bool IsAllowed(int value) => value >= minimum && value <= maximum;

    public override string ToText(int value) => value.ToString(CultureInfo.InvariantCulture);
}
