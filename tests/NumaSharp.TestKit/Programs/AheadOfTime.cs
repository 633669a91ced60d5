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

    /// <summary>Skips where a build's output tells that NuGet does not give a package, such as the compiler or a runtime.</summary>
    public static void SkipIfAPackageIsMissing(string output)
    {
        var missing = MissingPackage().Match(output);
        Assert.SkipWhen(missing.Success, $"A package of the build is not to be had: {missing.Value}");
    }

    // What NuGet says of a package that no source has, or of sources that do not answer, also when asked for vulnerabilities.
    [GeneratedRegex(@"error NU1(101|102|103|301|900): .*", RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex MissingPackage();
}
