using System.Text.RegularExpressions;

namespace NumaSharp.TestKit;

/// <summary>The C# of a page. That of some guides has to be lines of a program that is compiled.</summary>
public static partial class GuideSamples
{
    /// <summary>The samples of a guide, in their order.</summary>
    public static IEnumerable<string> Of(string guide) => In(Repository.Read("docs", "guide", guide));

    /// <summary>The samples in a page's text, in their order.</summary>
    public static IEnumerable<string> In(string page) =>
        Sample().Matches(page).Select(static sample => sample.Groups["code"].Value);

    /// <summary>Each sample's lines are in a file of the folder, in that order, so many columns further in.</summary>
    public static void AssertCompiled(string guide, int count, int indent, params string[] folder)
    {
        var files = Directory.GetFiles(Repository.PathOf(folder), "*.cs").Select(File.ReadAllLines).ToArray();
        string[] samples = [.. Of(guide)];
        Assert.Equal(count, samples.Length);
        var margin = new string(' ', indent);
        Assert.All(samples, sample =>
        {
            string[] lines =
            [
                .. sample.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => margin + line),
            ];
            Assert.True(Array.Exists(files, file => HasInOrder(file, lines)), $"No file has these lines:\n{sample}");
        });
    }

    private static bool HasInOrder(string[] file, string[] lines)
    {
        var at = -1;
        return Array.TrueForAll(lines, line => (at = Array.IndexOf(file, line, at + 1)) >= 0);
    }

    [GeneratedRegex(
        @"^```csharp\n(?<code>.*?)^```", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex Sample();
}
