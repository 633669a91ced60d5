var app = WebApplication.CreateSlimBuilder(args).Build();
app.MapGet("/ping", () => "pong");
app.Run();
