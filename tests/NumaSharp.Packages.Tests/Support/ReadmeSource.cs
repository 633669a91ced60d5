using System.Text.RegularExpressions;

namespace NumaSharp.Packages.Tests.Support;

/// <summary>The sample of a README as a source file: its statements in a method, its types beside it.</summary>
internal static partial class ReadmeSource
{
    /// <param name="sample">The lines of a program: directives, statements, and types that are internal.</param>
    /// <param name="id">The package, which names the namespace.</param>
    public static string From(string sample, string id)
    {
        var lines = sample.Split('\n');
        var code = lines.Where(static line => !Directive().IsMatch(line)).ToArray();
        var types = Array.FindIndex(code, static line => line.StartsWith("internal ", StringComparison.Ordinal));
        var end = types < 0 ? code.Length : types;
        return $$"""
            {{Join(lines.Where(static line => Directive().IsMatch(line)))}}

            namespace Readmes.Of{{id.Replace('.', '_')}};

            internal static class Sample
            {
                public static async Task RunAsync(string[] args)
                {
                    await Task.Yield();
            {{Join(code[..end])}}
                }
            }

            {{Join(code[end..])}}
            """;
    }

    private static string Join(IEnumerable<string> lines) => string.Join('\n', lines);

    [GeneratedRegex(@"^using [\w.]+;$", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Directive();
}
