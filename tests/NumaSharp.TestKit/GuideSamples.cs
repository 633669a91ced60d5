using System.Text.RegularExpressions;

namespace NumaSharp.TestKit;

/// <summary>The C# of a guide, which has to be lines of a program that is compiled.</summary>
public static partial class GuideSamples
{
    /// <summary>Each sample's lines are in a file of the folder, in that order, so many columns further in.</summary>
    public static void AssertCompiled(string guide, int count, int indent, params string[] folder)
    {
        var files = Directory.GetFiles(Repository.PathOf(folder), "*.cs").Select(File.ReadAllLines).ToArray();
        var samples = Sample().Matches(Repository.Read("docs", "guide", guide));
        Assert.Equal(count, samples.Count);
        var margin = new string(' ', indent);
        Assert.All(samples, sample =>
        {
            string[] lines =
            [
                .. sample.Groups["code"].Value.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => margin + line),
            ];
            Assert.True(Array.Exists(files, file => HasInOrder(file, lines)), $"No file has these lines:\n{sample.Value}");
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
