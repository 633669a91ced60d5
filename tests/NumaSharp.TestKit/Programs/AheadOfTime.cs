using System.Text.RegularExpressions;

namespace NumaSharp.TestKit;

/// <summary>What a test needs that compiles ahead of time.</summary>
public static partial class AheadOfTime
{
    private static readonly string[] s_linkers = ["clang", "gcc"];

    private static readonly Lazy<string?> s_whyNoLinker = new(FindWhyNoLinker);

    /// <summary>Skips where there is no linker, or none of what it links a program with, which is a package of its own.</summary>
    public static void SkipUnlessThereIsALinker() => Assert.SkipWhen(s_whyNoLinker.Value is not null, s_whyNoLinker.Value ?? "");

    /// <summary>Skips where a build's output says that NuGet has no such package, as of the compiler or a runtime.</summary>
    public static void SkipIfAPackageIsMissing(string output)
    {
        var missing = MissingPackage().Match(output);
        Assert.SkipWhen(missing.Success, $"A package of the build is not available: {missing.Value}");
    }

    private static string? FindWhyNoLinker()
    {
        var linker = s_linkers.FirstOrDefault(ExternalProgram.IsThere);
        if (linker is null)
        {
            return "There is no linker: neither clang nor gcc is installed.";
        }

        using var folder = new TemporaryFolder();
        File.WriteAllText(folder.PathOf("main.c"), "#include <stdio.h>\nint main(void) { return puts(\"\"); }\n");
        string[] arguments = [folder.PathOf("main.c"), "-o", folder.PathOf("main")];

        // On another thread, because this blocks one of the few threads on which tests continue.
        var link = Wait.For(Task.Run(() => ExternalProgram.TryAsync(linker, arguments)));
        return link.Succeeded ? null : $"{linker} cannot make a program (Debian: libc6-dev): {link.Errors}";
    }

    // What NuGet says of a package that no source has, or of sources that do not answer, also when asked for vulnerabilities.
    [GeneratedRegex(@"error NU1(101|102|103|301|900): .*", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex MissingPackage();
}
