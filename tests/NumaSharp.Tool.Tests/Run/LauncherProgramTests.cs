using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class LauncherProgramTests
{
    [Fact]
    public void Clean_Variables_KeepsThoseThatFindTheRuntime()
    {
        string[] kept =
        [
            "DOTNET_BUNDLE_EXTRACT_BASE_DIR", "DOTNET_ROLL_FORWARD", "DOTNET_ROOT", "DOTNET_ROOT_ARM64", "HOME",
            "LD_LIBRARY_PATH", "PATH", "TMPDIR",
        ];
        string[] removed =
        [
            "ASPNETCORE_URLS", "COMPlus_gcServer", "CORECLR_ENABLE_PROFILING", "DOTNET_gcServer", "DOTNET_STARTUP_HOOKS",
            "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "DOTNET_TieredCompilation", "LD_PRELOAD", "Numa__Enabled",
        ];
        var environment = new Dictionary<string, string?>(StringComparer.Ordinal);
        foreach (var name in kept.Concat(removed))
        {
            environment[name] = "some";
        }

        LauncherProgram.Clean(environment);

        Assert.Equal(kept, environment.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void CreateStartInfo_Words_FollowTheProgramsOwn()
    {
        var info = new LauncherProgram("dotnet", ["numasharp.dll"]).CreateStartInfo("verb", "word");

        Assert.Equal("dotnet", info.FileName);
        Assert.Equal("0", info.Environment["DOTNET_EnableDiagnostics"]);
        Assert.Equal("numasharp.dll verb word", string.Join(' ', info.ArgumentList));
        Assert.True(info.RedirectStandardInput && info.RedirectStandardOutput && info.RedirectStandardError);
    }
}
