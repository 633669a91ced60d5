using System.Globalization;
using System.Text.RegularExpressions;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>Which ASP.NET Core a process runs on: read from the files that it has mapped.</summary>
internal static partial class FrameworkVersion
{
    public static string Of(int processId)
    {
        var path = string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}/maps");
        return Find(File.ReadLines(path)) ?? throw new BenchmarkException($"{path} names no Microsoft.AspNetCore.App");
    }

    public static string? Find(IEnumerable<string> maps) =>
        maps.Select(line => Folder().Match(line)).FirstOrDefault(match => match.Success)?.Groups["version"].Value;

    [GeneratedRegex(
        "/Microsoft\\.AspNetCore\\.App/(?<version>[^/]+)/",
        RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant,
        1000)]
    private static partial Regex Folder();
}
