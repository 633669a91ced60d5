using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace NumaSharp.Models.Tests;

/// <summary>Debian's model checker: makes a C program of a model, which visits every reachable state.</summary>
internal static class Spin
{
    // The limit is far more than any of the models needs: a search that would not end must fail instead.
    private const string Compile = "-w -DSAFETY -DCOLLAPSE -DMEMLIM=3000 -o pan pan.c";
    private const string Search = "-m500000";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(20);

    // Its output when it has not visited everything.
    private static readonly string[] s_truncated =
        ["search depth too small", "Search not completed", "out of memory", "reached -DMEMLIM"];

    /// <param name="model">The file in tests/Models.</param>
    /// <param name="variant">Preprocessor symbols, such as <c>ITEMS=3 NO_FENCE</c>.</param>
    /// <param name="isLong">
    /// Whether it visits all states: the C program is then worth optimizing, which takes longer than to find most faults. (-O2
    /// takes two seconds more, and searches no faster.)
    /// </param>
    public static SpinResult Check(string model, string variant, bool isLong)
    {
        ExternalProgram.SkipUnlessThere("spin");
        ExternalProgram.SkipUnlessThere("gcc");
        AheadOfTime.SkipUnlessThereIsALinker();
        TemporaryFolder.SkipUnlessProgramsRun();
        using var temporary = new TemporaryFolder();
        var folder = temporary.Path;
        foreach (var file in Directory.EnumerateFiles(Repository.PathOf("tests", "Models"), "*.pml"))
        {
            File.Copy(file, Path.Combine(folder, Path.GetFileName(file)));
        }

        var symbols = variant.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(static symbol => $"-D{symbol}");
        var translated = Run(folder, "spin", [.. symbols, "-a", model]);
        Assert.True(File.Exists(Path.Combine(folder, "pan.c")), translated);
        var compiled = Run(folder, "gcc", [isLong ? "-O1" : "-O0", .. Compile.Split(' ')]);
        Assert.True(File.Exists(Path.Combine(folder, "pan")), compiled);
        return Read(Run(folder, Path.Combine(folder, "pan"), [Search]));
    }

    private static SpinResult Read(string output) => new(
        (int)NumberIn(output, "errors: ", after: ""),
        NumberIn(output, before: "", " states, stored"),
        !Array.Exists(s_truncated, sign => output.Contains(sign, StringComparison.Ordinal)),
        output);

    private static long NumberIn(string output, string before, string after)
    {
        var match = Regex.Match(output, $"{before}([0-9]+){after}\\b", RegexOptions.NonBacktracking);
        Assert.True(match.Success, output);
        return long.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture);
    }

    private static string Run(string folder, string program, string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { WorkingDirectory = folder };

        // On another thread, because this blocks one of the few threads on which tests continue.
        var result = Task.Run(() => ExternalProgram.TryAsync(start, patience: s_patience)).GetAwaiter().GetResult();
        return result.Output + result.Errors;
    }
}
