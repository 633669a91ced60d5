using System.Text.RegularExpressions;

namespace NumaSharp.TestKit;

/// <summary>What a test needs that compiles ahead of time.</summary>
public static partial class AheadOfTime
{
    private static readonly string[] s_linkers = ["clang", "gcc"];

    public static void SkipUnlessThereIsALinker()
    {
        var folders = Environment.GetEnvironmentVariable("PATH")!.Split(Path.PathSeparator);
        Assert.SkipUnless(
            s_linkers.Any(name => folders.Any(folder => File.Exists(Path.Combine(folder, name)))), "There is no linker.");
    }

    /// <summary>Skips where a build's output tells that NuGet does not give the compiler's package.</summary>
    public static void SkipIfThereIsNoCompiler(string output)
    {
        var missing = MissingPackage().Match(output);
        Assert.SkipWhen(missing.Success, $"The compiler's package is not to be had: {missing.Value}");
    }

    // What NuGet says of a package that no source has, or of sources that do not answer.
    [GeneratedRegex(@"error NU1(101|102|301): .*", RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex MissingPackage();
}
