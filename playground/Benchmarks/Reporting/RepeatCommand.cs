using System.Buffers;

namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>The command that measures the same again, for the shell, in the repository's folder.</summary>
internal static class RepeatCommand
{
    private const string Program = "dotnet run -c Release --project playground/Benchmarks --";
    private const string Json = "--json";

    private static readonly SearchValues<char> s_plain =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,-./:=@_");

    /// <summary>Of the process's arguments. Which file the results go to is not part of it.</summary>
    public static string Of(IEnumerable<string> arguments)
    {
        var words = new List<string> { Program };
        var isFile = false;
        foreach (var argument in arguments)
        {
            if (!isFile && argument != Json && !argument.StartsWith($"{Json}=", StringComparison.Ordinal))
            {
                words.Add(Quoted(argument));
            }

            isFile = argument == Json;
        }

        return string.Join(' ', words);
    }

    private static string Quoted(string word) => word.Length > 0 && !word.AsSpan().ContainsAnyExcept(s_plain)
        ? word
        : $"'{word.Replace("'", @"'\''", StringComparison.Ordinal)}'";
}
