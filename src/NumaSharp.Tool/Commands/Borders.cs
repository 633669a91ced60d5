using Spectre.Console;

namespace NumaSharp.Tool.Commands;

/// <summary>Borders of characters that the screen can show: the library's own fallbacks are not ASCII.</summary>
internal static class Borders
{
    public static TableBorder OfTable(Profile profile) => profile.Capabilities.Unicode ? TableBorder.Rounded : TableBorder.Ascii2;

    public static TableBorder OfMatrix(Profile profile) =>
        profile.Capabilities.Unicode ? TableBorder.Minimal : TableBorder.Ascii2;

    public static BoxBorder OfBox(Profile profile) => profile.Capabilities.Unicode ? BoxBorder.Rounded : BoxBorder.Ascii;
}
