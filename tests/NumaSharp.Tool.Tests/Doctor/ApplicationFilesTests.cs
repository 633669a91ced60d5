using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Doctor;

namespace NumaSharp.Tool.Tests.Doctor;

public sealed class ApplicationFilesTests : IDisposable
{
    private const string Config = "Shop.Web.runtimeconfig.json";

    private readonly TemporaryFolder _folder = TemporaryFolder.InMemory();

    public void Dispose() => _folder.Dispose();

    // The last one is a program of Linux.
    [Theory]
    [InlineData(Config)]
    [InlineData("Shop.Web.dll")]
    [InlineData("Shop.Web.exe")]
    [InlineData("Shop.Web")]
    [InlineData("")]
    public void Named_ApplicationOrItsFolder_HasItsFile(string name)
    {
        Write(Config, "Shop.Web.dll", "Shop.Web.exe", "Shop.Web");
        Assert.Equal(_folder.PathOf(Config), ApplicationFiles.Named(_folder.PathOf(name)).RuntimeConfig);
    }

    [Theory]
    [InlineData("Lost", "does not exist")]
    [InlineData("Native", "has no Native.runtimeconfig.json beside it")]
    [InlineData("", "2 applications; name one of Else.runtimeconfig.json, Shop.Web.runtimeconfig.json")]
    public void Named_WhatHasNoneOrSeveral_IsRefused(string name, string message)
    {
        Write(Config, "Else.runtimeconfig.json", "Native");
        var exception = Assert.Throws<ToolException>(() => ApplicationFiles.Named(_folder.PathOf(name)));
        Assert.Contains(message, exception.Message, StringComparison.Ordinal);
        Assert.Contains("--app", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Named_FolderWithout_IsRefused() => Assert.Contains(
        "has no *.runtimeconfig.json",
        Assert.Throws<ToolException>(() => ApplicationFiles.Named(_folder.Path)).Message,
        StringComparison.Ordinal);

    [Fact]
    public void FoundFrom_OneApplication_IsIt()
    {
        Write(Config, "NumaSharp.Tool.runtimeconfig.json");
        Assert.Equal(_folder.PathOf(Config), ApplicationFiles.FoundFrom(_folder.Path).RuntimeConfig);
    }

    [Fact]
    public void FoundFrom_SeveralApplications_IsNone()
    {
        Write(Config, "Else.runtimeconfig.json");
        var found = ApplicationFiles.FoundFrom(_folder.Path);
        Assert.Null(found.RuntimeConfig);
        Assert.Equal([_folder.PathOf("Else.runtimeconfig.json"), _folder.PathOf(Config)], found.Candidates);
    }

    private void Write(params ReadOnlySpan<string> names)
    {
        foreach (var name in names)
        {
            File.WriteAllText(_folder.PathOf(name), "{}");
        }
    }
}
