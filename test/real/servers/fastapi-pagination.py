import uvicorn
from dataset import port, record_at, records
from fastapi import FastAPI
from fastapi_pagination import LimitOffsetPage, Page, add_pagination, paginate

trees = [{"id": index, **record_at(index)} for index in range(records)]
app = FastAPI()


@app.get("/numbers")
def numbers() -> Page[dict]:
    return paginate(trees)


@app.get("/offsets")
def offsets() -> LimitOffsetPage[dict]:
    return paginate(trees)


@app.get("/all")
def everything() -> list[dict]:
    return trees


add_pagination(app)
uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")
